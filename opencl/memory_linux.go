package opencl

import "golang.org/x/sys/unix"

// systemMemory returns the memory of the machine in bytes.
func systemMemory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}

// mapMemory returns zeroed memory that Go does not manage.
func mapMemory(bytes int) ([]byte, error) {
	return unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func unmapMemory(b []byte) { _ = unix.Munmap(b) } // fails only for other memory
