.kernel k
    clr r1
    seti m1, 0
    lwo f1, (r1)-2
    stopi 0
