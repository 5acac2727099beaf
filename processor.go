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
	Zen4 = "zen4" // AMD, 2022: 512 bits take two turns
	Zen5 = "zen5" // AMD, 2024
)

// Processors lists what Options.Processor may be.
func Processors() []string { return []string{Zen4, Zen5} }

// host is the processor this runs on, as far as its costs are known.
func host() string {
	if cpuid.CPU.VendorID == cpuid.AMD && cpuid.CPU.Family >= 0x1A {
		return Zen5
	}
	return Zen4
}

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
