package embed

func fastExpected() bool { return hasAVX2 }
