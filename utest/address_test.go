package utest

import "unsafe"

// addressOf returns the address of a slice's memory.
func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
