package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Processors with known costs. They differ in the costs of vectors, gathers and branch
// mispredictions relative to scalar code, and so in the best strategy.
const (
	Zen4       = "zen4"       // AMD, 2022: 512-bit operations take two passes
	Zen5       = "zen5"       // AMD, 2024
	GoldenCove = "goldencove" // Intel, 2021, in servers since 2023; also for Raptor Cove
)

// Processors lists the values of Options.Processor.
func Processors() []string { return []string{Zen4, Zen5, GoldenCove} }

// host returns the processor of the host, or the closest one with known costs.
func host() string {
	switch cpu := &cpuid.CPU; {
	case cpu.VendorID == cpuid.AMD && cpu.Family >= 0x1A:
		return Zen5
	case cpu.VendorID == cpuid.Intel && cpu.Supports(cpuid.AVX512FP16):
		return GoldenCove
	}
	return Zen4
}

// gathersFast reports whether a processor's gather instructions are faster than the
// equivalent scalar loads.
func gathersFast(processor string) bool { return processor == GoldenCove }

// ProcessorByName validates a name; "" is the host's.
func ProcessorByName(name string) (string, error) {
	switch {
	case name == "":
		return host(), nil
	case !slices.Contains(Processors(), name):
		return "", fmt.Errorf("unknown processor %q: want one of %s", name, strings.Join(Processors(), ", "))
	}
	return name, nil
}
