package wasmsimd

import "github.com/simtc/simtc/plan"

// CostsGoldenCove is the cost model of Wasmtime's code on a Golden Cove, without factors
// relative to Zen 4: fitted factors improved the choices for the fitted kernels, but not
// for held-out ones.
var CostsGoldenCove = Costs.Times(plan.Factors{})
