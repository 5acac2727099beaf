//go:build !linux

package ndarg

func hugePages([]byte) {}
