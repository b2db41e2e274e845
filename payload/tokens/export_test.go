package tokens

// Whole is Count that takes nothing apart.
var Whole = count
