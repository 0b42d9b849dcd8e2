.org 8191
    nop
