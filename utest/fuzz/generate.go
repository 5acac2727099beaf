package fuzz

import "fmt"

// Generate makes the case of a seed. Kinds are cfg, reducible, program, search, loop, series, ask, wrap and opencl.
func Generate(seed int64, kind string, opt Options) (*Case, error) {
	switch kind {
	case "cfg":
		return Kernel(seed, opt), nil
	case "reducible":
		opt.Reducible = true
		return Kernel(seed, opt), nil
	}
	switch kind {
	case "program":
		return Program(seed, ProgramOptions{})
	case "search":
		return Search(seed)
	case "loop":
		return Loop(seed)
	case "series":
		return Series(seed)
	case "ask":
		return Ask(seed)
	case "wrap":
		return Wrap(seed)
	case "opencl":
		return OpenCL(seed)
	}
	return nil, fmt.Errorf("fuzz: unknown kind %q", kind)
}

// Text returns the program: OpenCL C, or kernel IR.
func (c *Case) Text() string {
	if c.Source != "" {
		return c.Source
	}
	return c.Kernel.String()
}
