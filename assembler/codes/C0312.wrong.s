    lwi f1, here
here:
    stopi 0
