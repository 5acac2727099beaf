package native

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func pageSize() int { return windows.Getpagesize() }

// mapText returns size bytes of memory that can be written.
func mapText(size int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

// protectText makes memory of mapText executable instead of writable.
func protectText(text []byte) error {
	var old uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(unsafe.SliceData(text))), uintptr(len(text)), windows.PAGE_EXECUTE_READ, &old)
}

func unmapText(text []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(text))), 0, windows.MEM_RELEASE)
}
