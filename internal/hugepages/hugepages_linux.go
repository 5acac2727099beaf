package hugepages

import (
	"syscall"
	"unsafe"
)

// Advise requests large pages for b, which should not have been accessed yet.
func Advise(b []byte) {
	if len(b) < 2*size {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (size - 1)
	_ = syscall.Madvise(b[skip:len(b)-(len(b)-skip)%size], syscall.MADV_HUGEPAGE)
}
