    stopi 0
