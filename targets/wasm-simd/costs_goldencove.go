package wasmsimd

import "github.com/simtc/simtc/plan"

// CostsGoldenCove are those of a Golden Cove running Wasmtime's code, by what they are on a Zen 4.
var CostsGoldenCove = Costs.Times(plan.Factors{})
