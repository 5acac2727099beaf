package iterations

// CountExits is countExits, for tests.
var CountExits = countExits
