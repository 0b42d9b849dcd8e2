.include "missing.inc"
    nop
