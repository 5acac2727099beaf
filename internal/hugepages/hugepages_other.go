//go:build !linux

package hugepages

// Advise does nothing: only Linux requires a request.
func Advise([]byte) {}
