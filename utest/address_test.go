package utest

import "unsafe"

// addressOf is where a slice's memory lies.
func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
