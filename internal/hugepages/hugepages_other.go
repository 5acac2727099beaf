//go:build !linux

package hugepages

// Advise does nothing: only Linux needs to be asked.
func Advise([]byte) {}
