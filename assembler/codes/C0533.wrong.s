.kernel k
    jumpi out
    stopi 1 @allow(C0450)
out:
    stopi 0
