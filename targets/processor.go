package targets

// Processors with known costs. They differ in the costs of vectors, gathers and branch
// mispredictions relative to scalar code, and so in the best strategy.
const (
	Zen4       = "zen4"       // AMD, 2022: 512-bit operations take two passes
	Zen5       = "zen5"       // AMD, 2024
	GoldenCove = "goldencove" // Intel, 2021, in servers since 2023; also for Raptor Cove
	Zen3       = "zen3"       // AMD, 2020: without AVX-512
	Gracemont  = "gracemont"  // Intel, 2021, without AVX-512: 256-bit operations take two passes
)

// Processors lists the names of processors.
func Processors() []string { return []string{Zen4, Zen5, GoldenCove, Zen3, Gracemont} }
