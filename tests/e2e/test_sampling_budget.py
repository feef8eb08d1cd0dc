# SPDX-License-Identifier: Apache-2.0
"""The sampler adapts its intervals to what a job does, and every total stays right."""

from spark_jobs import run_job
from support import TestCase, weight_of

SECONDS = 12
# Tolerance for HotSpot's sampler, which counts the unused end of an allocation buffer like an allocation.
TOLERANCE = 0.25


class SamplingBudgetTest(TestCase):
    def profile(self, *load, options=()):
        profile = run_job(self.folder, "KnownLoad", *load, sparkprof=options)
        known = sum(int(line.split()[1]) for line in profile.process.stdout.splitlines())
        return profile, known

    def assert_total(self, profile, event, known):
        recorded = weight_of(profile.collapsed("--event", event), "KnownLoad")
        self.assertGreater(recorded, known * (1 - TOLERANCE))
        self.assertLess(recorded, known * (1 + TOLERANCE))

    def test_a_job_that_allocates_all_the_time_gets_few_samples_and_its_total(self):
        profile, known = self.profile("alloc", SECONDS, 2)
        samples = profile.info()["samples"]["alloc"]["count"]
        self.assertLess(samples, known / (2 << 20) / 5, "a fifth of what the configured interval takes")
        self.assertLess(samples, 500 * SECONDS)
        self.assertGreater(samples, 100)
        self.assert_total(profile, "alloc", known)
        info = profile.info()
        self.assertGreater(int(info["settings"]["alloc.interval_bytes"]), 2 << 20)
        notices = [notice["text"] for notice in info["notices"]]
        self.assertTrue(any(text.startswith("alloc is sampled every") for text in notices), notices)

    def test_short_waits_for_a_lock_add_up_to_what_all_threads_waited(self):
        profile, known = self.profile("lock", 6, 2, 16)
        self.assertLess(profile.info()["samples"]["lock"]["count"], 6000)
        self.assert_total(profile, "lock", known)

    def test_an_interval_that_the_user_sets_stays_and_is_named(self):
        profile, known = self.profile("alloc", 3, 2, options=["--alloc-interval", "16m"])
        info = profile.info()
        self.assertEqual(info["settings"]["alloc.interval_bytes"], str(16 << 20))
        self.assertEqual(info["settings"]["fixed_intervals"], "alloc")
        self.assert_total(profile, "alloc", known)
