package up

// version is the name of dst, in errors.
const version = "v18"
