//go:build !unix

package hugepages

// hasRoom is not known.
func hasRoom(int) bool { return true }
