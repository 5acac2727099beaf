//go:build !linux

package opencl

// systemMemory returns the memory of the machine in bytes; 0 if unknown.
func systemMemory() uint64 { return 0 }

// mapMemory returns zeroed memory.
func mapMemory(bytes int) ([]byte, error) { return make([]byte, bytes), nil }

func unmapMemory([]byte) {}
