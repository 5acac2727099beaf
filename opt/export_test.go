package opt

import "github.com/simtc/simtc/kernel"

// NestAny is Nest without asking whether it is worth it.
func NestAny(f *kernel.Func) int { return nestAll(f, 0) }
