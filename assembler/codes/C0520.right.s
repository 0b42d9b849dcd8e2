.kernel k
    clr r1
    seti m1, 0
    seti n1, 2
    lwnm f1, (r1)-n1
    stopi 0
