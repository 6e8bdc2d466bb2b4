"""Solves what `cargo bench -p herdbook-breeding -- 50000 FOLDER` wrote in another way: python3 compare.py FOLDER

Needs numpy and scipy. Inbreeding comes from kinships by their definition, the inverse of the relationships is a sparse
matrix, the permanent environment is not absorbed, and the mixed-model equations are factorised (SuperLU).
"""

import sys
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

folder = sys.argv[1]
additive, permanent, error = 12.0, 10.0, 18.0
sire, dam, theirs, _ = np.loadtxt(f"{folder}/animals.csv", delimiter=",", unpack=True)
sire, dam = sire.astype(int), dam.astype(int)
records = np.loadtxt(f"{folder}/records.csv", delimiter=",")
animal, levels, y = records[:, 0].astype(int), records[:, 1:-1].astype(int), records[:, -1]
n = len(sire)
groups = max(sire.max(), dam.max()) - n + 1


@lru_cache(maxsize=None)
def kinship(one, other):
    """Half the additive relationship; parents have lower numbers than their progeny."""
    if one < 0 or other < 0 or one >= n or other >= n:
        return 0.0
    if one < other:
        one, other = other, one
    if one == other:
        return 0.5 + 0.5 * kinship(sire[one], dam[one])
    return 0.5 * (kinship(sire[one], other) + kinship(dam[one], other))


sys.setrecursionlimit(10_000)
inbreeding = np.array([kinship(s, d) if 0 <= s < n and 0 <= d < n else 0.0 for s, d in zip(sire, dam)])

# A⁻¹ with groups by Henderson's and Quaas' rules: each animal adds (1, -½, -½)'(1, -½, -½) / variance.
within = np.ones(n)
for parent in (sire, dam):
    known = (parent >= 0) & (parent < n)
    within[known] -= 0.25 * (1 + inbreeding[parent[known]])
own = np.arange(n)
family = [(own, np.ones(n)), (sire, np.full(n, -0.5)), (dam, np.full(n, -0.5))]
rows, columns, entries = [], [], []
for row, left in family:
    for column, right in family:
        both = (row >= 0) & (column >= 0)
        rows.append(row[both])
        columns.append(column[both])
        entries.append((left * right / within)[both])
size = n + groups
A = sp.csc_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), (size, size))

records_of = len(y)
ones = np.ones(records_of)
fixed = [sp.csc_matrix((ones, (np.arange(records_of), column))) for column in levels.T]
# One level of every effect but the first is zero; the last group too, so that the equations have one solution.
X = sp.hstack([fixed[0]] + [effect[:, 1:] for effect in fixed[1:]], "csc")
X = X[:, np.asarray(X.sum(axis=0)).ravel() > 0]
Z = sp.csc_matrix((ones, (np.arange(records_of), animal)), (records_of, size))
with_records = np.unique(animal)
W = Z[:, with_records]
keep = np.arange(size - 1 if groups else size)
Z, A = Z[:, keep], A[keep][:, keep]
parts = [X, Z, W]
blocks = [[left.T @ right / error for right in parts] for left in parts]
blocks[1][1] = blocks[1][1] + A / additive
blocks[2][2] = blocks[2][2] + sp.identity(len(with_records)) / permanent
right = np.concatenate([part.T @ y / error for part in parts])
C = sp.bmat(blocks, "csc")
solution = splu(C, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve(right)
ours = solution[X.shape[1] : X.shape[1] + n]
# Values have a meaning as differences only: both from their mean.
ours, theirs = ours - ours.mean(), theirs - theirs.mean()
print(f"{n} animals, {groups} groups, {records_of} records, {C.shape[0]} equations, {C.nnz} coefficients")
print(f"residual {np.abs(C @ solution - right).max():.1e}; mean inbreeding {inbreeding.mean():.6f}")
largest = np.abs(ours - theirs).max()
print(f"standard deviation {ours.std():.4f}, largest difference {largest:.1e}")
print(f"correlation {np.corrcoef(ours, theirs)[0, 1]:.12f}")
if not largest < 1e-4 * ours.std():
    sys.exit("the values differ")
