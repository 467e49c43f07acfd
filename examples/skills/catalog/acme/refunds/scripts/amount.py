import sys

paid, used = (float(word) for word in sys.argv[1:3])
print(round(max(paid - used, 0), 2))
