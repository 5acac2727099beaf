package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/simtc/simtc/targets"
)

// Processors lists the values of Options.Processor.
func Processors() []string { return targets.Processors() }

// alderLakeN is the model number of processors with Gracemont cores only.
const alderLakeN = 0xBE

// host returns the processor of the host, or the closest one with known costs.
func host() string {
	switch cpu := &cpuid.CPU; {
	case cpu.VendorID == cpuid.AMD && cpu.Family >= 0x1A:
		return targets.Zen5
	case cpu.VendorID == cpuid.AMD && !cpu.Supports(cpuid.AVX512F):
		return targets.Zen3
	case cpu.VendorID == cpuid.Intel && cpu.Model == alderLakeN:
		return targets.Gracemont
	case cpu.VendorID == cpuid.Intel && (cpu.Supports(cpuid.AVX512FP16) || !cpu.Supports(cpuid.AVX512F)):
		return targets.GoldenCove
	}
	return targets.Zen4
}

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
