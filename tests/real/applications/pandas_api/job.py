# SPDX-License-Identifier: Apache-2.0
"""An analysis of taxi rides that was written for pandas and runs on the pandas API on Spark."""

import sys

import pyspark.pandas as ps

DATA = sys.argv[1]

rides = ps.read_csv(f"{DATA}/rides/*.csv")
zones = ps.read_csv(f"{DATA}/zones.csv")
print("RESULT rows", len(rides), "columns", rides.shape[1])

rides["pickup"] = ps.to_datetime(rides["pickup"])
rides["dropoff"] = ps.to_datetime(rides["dropoff"])
rides["minutes"] = (rides["dropoff"].astype("int64") - rides["pickup"].astype("int64")) / 60e9
rides["hour"] = rides["pickup"].dt.hour
rides["tip"] = rides["tip"].fillna(0)
rides = rides[(rides["passengers"] > 0) & (rides["minutes"] < 120)]
print("RESULT valid", len(rides))
print("RESULT mean", round(rides["fare"].mean(), 3), "median", round(rides["fare"].median(), 1), "tip", round(rides["tip"].mean(), 3))
print("RESULT correlation", round(rides["distance"].corr(rides["fare"]), 4))

merged = rides.merge(zones, left_on="pickup_zone", right_on="zone")
boroughs = merged.groupby("borough").agg({"fare": "mean", "distance": "mean", "tip": "sum"}).sort_index()
for name, row in boroughs.to_pandas().iterrows():
    print("RESULT borough", name, round(row["fare"], 3), round(row["distance"], 3), round(row["tip"]))
hours = merged.groupby(["borough", "hour"])["fare"].sum().reset_index().sort_values("fare", ascending=False).head(3)
for row in hours.to_pandas().itertuples():
    print("RESULT hour", row.borough, row.hour, round(row.fare))
print("RESULT payments", dict(sorted(rides["payment"].value_counts().to_dict().items())))


def best_hour(frame):
    per_hour = frame.groupby("hour")["tip"].mean()
    return frame.head(1).assign(best=int(per_hour.idxmax()), tips=float(per_hour.max()))[["dropoff_zone", "best", "tips"]]


best = rides[["dropoff_zone", "hour", "tip"]].groupby("dropoff_zone").apply(best_hour).sort_values("tips", ascending=False).head(3)
for row in best.to_pandas().itertuples():
    print("RESULT zone", row.dropoff_zone, row.best, round(row.tips, 3))
