package embed

import "testing"

func fastExpected() bool { return hasAVX2 }

// TestKernelsAgreeOnOlderProcessors takes the newest instructions away, so that
// both kernels are compared on a machine that has them.
func TestKernelsAgreeOnOlderProcessors(t *testing.T) {
	if !hasVNNI {
		t.Log("the processor has no VNNI: TestKernelsAgree has said it all")
	}
	defer func(had bool) { hasVNNI = had }(hasVNNI)
	hasVNNI = false
	TestKernelsAgree(t)
}
