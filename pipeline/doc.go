// Package pipeline takes kernels from the front end to code that runs: it lists all passes,
// chooses a strategy, and compiles kernels with it.
//
//	scalar      passes over the kernel IR of one work-item, once for all strategies (passes.go)
//	lanes       passes that depend on the strategy, such as the number of lanes (lanes.go)
//	linearize   control flow becomes uniform: package structurize or blockip (linearizers.go)
//	vector      passes over the masked vector IR, for each part of the kernel (passes.go)
//	plan        the candidates' costs, and the choice (plan.go)
//	final       passes over the chosen candidate
//	code        a target's code, and an executor for launches (targets.go, executor.go)
//
// The file vectorize.go runs them. A kernel keeps the variants that were compiled (variant.go), so that
// the plan and launches, which compare close candidates on the work itself (tune.go), compile
// none twice.
//
// It must not know OpenCL C: its input is kernel IR.
package pipeline
