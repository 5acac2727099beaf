package ndarg

import (
	"syscall"
	"unsafe"
)

// hugePages asks the system to back b with large pages: kernels that run through
// more memory than caches hold spend a quarter of their time on looking up small
// ones. It is only advice, so errors do not matter.
func hugePages(b []byte) {
	const huge = 2 << 20
	if len(b) < 2*huge {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (huge - 1)
	_ = syscall.Madvise(b[skip:len(b)-(len(b)-skip)%huge], syscall.MADV_HUGEPAGE)
}
