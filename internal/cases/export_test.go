package cases

// Planned are the calls of verbs that the library will have.
var Planned = planned
