package simtc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// The processors whose costs are known: they differ in what vectors, gathers and
// wrong guesses cost beside scalar code, and so in how a kernel is best compiled.
const (
	Zen4       = "zen4"       // AMD, 2022: 512 bits take two turns
	Zen5       = "zen5"       // AMD, 2024
	GoldenCove = "goldencove" // Intel, 2021, in servers since 2023; Raptor Cove is like it
)

// Processors lists what Options.Processor may be.
func Processors() []string { return []string{Zen4, Zen5, GoldenCove} }

// host is the processor this runs on, as far as its costs are known.
func host() string {
	switch cpu := &cpuid.CPU; {
	case cpu.VendorID == cpuid.AMD && cpu.Family >= 0x1A:
		return Zen5
	case cpu.VendorID == cpuid.Intel && cpu.Supports(cpuid.AVX512FP16):
		return GoldenCove
	}
	return Zen4
}

// gathersFast reports whether a processor's instructions that gather take less time
// than as many loads.
func gathersFast(processor string) bool { return processor == GoldenCove }

// fetchesAhead reports whether code for a processor should ask for memory that it sees too
// late that it needs.
func fetchesAhead(processor string) bool { return processor == GoldenCove }

// processor looks a name up.
func processor(name string) (string, error) {
	switch {
	case name == "":
		return host(), nil
	case !slices.Contains(Processors(), name):
		return "", fmt.Errorf("unknown processor %q; there are %s", name, strings.Join(Processors(), ", "))
	}
	return name, nil
}
