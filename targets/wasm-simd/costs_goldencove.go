package wasmsimd

import "github.com/simtc/simtc/plan"

// CostsGoldenCove are those of a Golden Cove running Wasmtime's code, by what they are on a
// Zen 4: no factors. Those fitted to measured kernels made choices better for these, but not
// for kernels left out of the fit.
var CostsGoldenCove = Costs.Times(plan.Factors{})
