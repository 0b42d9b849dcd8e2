.org 8192
    nop
