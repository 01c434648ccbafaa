package compile

import "runtime/debug"

// workerMemory is the size of a worker's heap, in bytes, from which on the
// garbage collector trades processor time for memory. It is a soft limit: a
// partition that needs more gets it.
const workerMemory = 64 << 20

// tuneWorkerMemory sets the garbage collector of a worker process, which
// builds one partition after another and keeps nothing.
func tuneWorkerMemory() {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(workerMemory)
}
