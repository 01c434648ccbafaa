//go:build !unix

package compile

import "time"

// Where the system does not tell, a hung worker is not noticed and memory is
// reported as 0.

func processCPU() time.Duration  { return 0 }
func childrenCPU() time.Duration { return 0 }
func selfPeakRSS() int64         { return 0 }
func childPeakRSS() int64        { return 0 }
