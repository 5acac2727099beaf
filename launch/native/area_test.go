package native

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The assembly code uses the offsets, not the type.
func TestSaveMatchesTheOffsets(t *testing.T) {
	var s save
	require.EqualValues(t, saveSize, unsafe.Sizeof(s))
	require.Zero(t, saveSize%areaAlign)
	for field, want := range map[uintptr]int{
		unsafe.Offsetof(s.vectors): vectorsOffset, unsafe.Offsetof(s.masks): masksOffset, unsafe.Offsetof(s.gprs): gprsOffset,
		unsafe.Offsetof(s.resume): resumeOffset, unsafe.Offsetof(s.flags): flagsOffset, unsafe.Offsetof(s.status): statusOffset,
		unsafe.Offsetof(s.base): baseOffset, unsafe.Offsetof(s.size): sizeOffset,
		unsafe.Offsetof(s.fault): faultOffset, unsafe.Offsetof(s.exception): exceptionOffset, unsafe.Offsetof(s.address): addressOffset,
	} {
		require.EqualValues(t, want, int(field)-saveSize)
	}
}

func TestAreasAreAligned(t *testing.T) {
	a := NewArea()
	require.Zero(t, a.address()%areaAlign)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(a.memory)))
	require.Equal(t, first+saveSize, a.address())
	require.Equal(t, first+uintptr(len(a.memory)), a.address())
}
