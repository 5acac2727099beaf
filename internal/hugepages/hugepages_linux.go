package hugepages

import (
	"syscall"
	"unsafe"
)

// Advise asks for large pages behind b, which should not have been touched yet.
func Advise(b []byte) {
	if len(b) < 2*size {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (size - 1)
	_ = syscall.Madvise(b[skip:len(b)-(len(b)-skip)%size], syscall.MADV_HUGEPAGE)
}
