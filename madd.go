package simtc

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// fusedMadd reports whether the engines' relaxed multiply-add rounds once here:
// they use the machine's instruction where it has one.
func fusedMadd() bool {
	return runtime.GOARCH == "arm64" || runtime.GOARCH == "amd64" && cpu.X86.HasFMA
}
