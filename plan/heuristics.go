package plan

// Constants for everything that the code does not determine: misprediction rates, lane
// imbalance, default trip counts. They are fitted to the measured kernels of utest/bench
// --plan.
const (
	// Mispredictions per execution of a loop's exit, by its condition: an order comparison
	// of a work-item's values, a test of bits or remainders, a comparison with data just
	// loaded, and a mask, which the last of many lanes decides. Values above 1 include the
	// delay that the misprediction causes.
	exitMissOrder = 0.22
	exitMissBits  = 1
	exitMissData  = 0.85
	exitMissMask  = 1.4

	// Misprediction rates of an evenly taken branch, by its condition: an order comparison
	// of a work-item's values, a test of bits or remainders, a comparison with data just
	// loaded from the work-item's own memory, a mask, and data that all work-items share,
	// such as the program of an interpreter.
	missOrder  = 0.084
	missBits   = 0.69
	missData   = 0.27
	missMask   = 0.098
	missShared = 0.016

	// nearBound is the distance from 0 or 1 up to which a bound cuts off only a small share
	// of the numbers compared with it: the distance itself, but at least minBeyond.
	nearBound = 0.05
	minBeyond = 0.002

	// sameLine is the relative cost of a load that follows one from the same cache lines.
	sameLine = 0.6

	// manyRows is the extra cost, for each doubling of the lanes beyond one register, of reading a
	// row of memory for each lane: prefetching follows few rows.
	manyRows = 0.75

	// aliasedLanes is the number of lanes up to which a loop that gathers and scatters at a distance of
	// pages takes the usual time.
	aliasedLanes = 8

	// forwardedLatency is the relative latency of a load from an address at which the preceding
	// iteration stored: it cannot miss the cache.
	forwardedLatency = 0.5

	// localAtomic is the relative cost of an atomic access of lanes that needs no lock, as no
	// other thread accesses the memory.
	localAtomic = 0.2

	// defaultTrips is the trip count of a loop without any evidence. maxTrips is the limit
	// above which trip counts are not distinguished.
	defaultTrips = 8.0
	maxTrips     = MaxTrips + 1

	// fusedTrips is the trip count of a loop whose iterations are part of those of its
	// parent.
	fusedTrips = 2.0

	// sieveTrips is the mean trip count of a loop whose step is the parent's counter 1, 2,
	// 3, ..., if a step of 1 would give defaultTrips - 1 iterations.
	sieveTrips = 3.6

	// sharedTrips is the trip count of a loop without any evidence whose iterations several
	// work-items share.
	sharedTrips = 3.0

	// equalBytes is the probability that two bytes are equal, one of them loaded, if a loop
	// continues on equality.
	equalBytes = 0.18

	// agreement is the share of strips, divided by the square root of the width, in which
	// all lanes agree to skip a region that each lane may enter.
	agreement = 0.24

	// longRow is the number of work-items in a row of unknown length, and assumedGroup that in
	// a work-group.
	longRow      = 1024
	assumedGroup = 256

	// smallGroup is the number of work-items of a work-group with short rows.
	smallGroup = 64

	// firstPart is the mean share of a group's work-items below a position that barriers
	// separate from its computation: such positions are mostly halved or doubled in each
	// iteration, as in reductions and scans.
	firstPart = 0.125

	// Probabilities of equality without evidence: with a constant, with a constant far from
	// 0, and between two variables.
	equalConst    = 0.25
	equalFarConst = 0.002
	equalValues   = 0.07

	// rare is the frequency of paths that the source marks as rare.
	rare = 0.0005

	// enterLoop is the probability of a path that leads into a loop, enterOwnTest that of
	// entering a loop at its own test, and idInRange that of a work-item's ID passing a
	// bounds check.
	enterLoop    = 0.6
	enterOwnTest = 0.9
	idInRange    = 0.95

	// For a scalar store per lane with probability 1/2: the share of its cost due to
	// testing the lane, and to storing. The rest is mispredictions.
	laneTest  = 0.13
	laneStore = 0.32

	// fullMask is the share of executions with a full mask of a region that has an unmasked
	// copy: most regions depend only on the bounds check.
	fullMask = 0.9

	// Lane imbalance: the slowest of W lanes takes so many times the iterations of the mean
	// lane, by the condition that ends the loop:
	//
	//	numbers from memory, such as lengths  1 + imbalanceLoaded * (W-1)/(W+1)
	//	unordered conditions, such as bits    1 + imbalanceBits * log2(W)^imbalanceBitsPower
	//	a search                              1 + imbalanceSearch * log2(W)
	//	others                                1 + imbalanceOrder * log2(W)^imbalanceOrderPower
	imbalanceOrder      = 0.1
	imbalanceOrderPower = 1.1
	imbalanceLoaded     = 0.5
	imbalanceBits       = 0.1
	imbalanceBitsPower  = 1.25
	imbalanceSearch     = 0.3

	// With a common limit and different speeds, the factor is 1 + imbalanceSpeed * log2(W).
	// In a search for a divisor the share noDivisor of the numbers iterates to the end,
	// which is 1/noDivisor times the mean.
	imbalanceSpeed = 0.025
	noDivisor      = 0.16

	// innerTrips is the number of iterations of an inner loop without evidence per
	// iteration of its parent, where a rate of progress is estimated.
	innerTrips = 0.25
)
