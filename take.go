package onerow
