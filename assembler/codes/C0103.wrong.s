.include "part.inc
    nop
