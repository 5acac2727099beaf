package avx2

// Name is the name of the target.
const Name = "avx2"
