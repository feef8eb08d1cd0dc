// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "prove/proof.h"

namespace sparkprof {
namespace {

RunMeasures Lasting(double seconds) {
  RunMeasures run;
  run.Set(ProofMeasure::kTime, seconds);
  return run;
}

TEST(ProofPageTest, ShowsABarForEachRunAndTheInterval) {
  PairedMeasures pairs;
  Proof proof;
  for (const double noise : {1.0, 1.01, 0.99, 1.005, 0.995, 1.0}) {
    proof.before.push_back(Lasting(10));
    proof.after.push_back(Lasting(5 * noise));
    pairs.Add(proof.before.back(), proof.after.back());
  }
  proof.verdict = ProofVerdict::kProved;
  proof.effects = pairs.Effects();
  const std::string page = ProofPage(proof, {.group = "<etl>", .change = "spark.a=\"1\""}, "Promised & more\n");
  EXPECT_NE(page.find("<h1 class=\"good\">Proved: 5.0 s faster"), std::string::npos) << page;
  EXPECT_NE(page.find("width:100.00%\"></i></td><td>10.0 s"), std::string::npos) << page;
  EXPECT_NE(page.find("<i class=\"after\" style=\"width:50.00%\"></i></td><td>5.0 s"), std::string::npos) << page;
  EXPECT_NE(page.find("no change</span>"), std::string::npos) << page;
  EXPECT_NE(page.find("Promised &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("<etl>"), std::string::npos) << "names are text";
}

TEST(ProofTextTest, NamesTheNumberOfComparableRecordedRuns) {
  Proof proof;
  proof.verdict = ProofVerdict::kNoDifference;
  proof.recorded = 7;
  proof.runs_after = 5;
  EXPECT_EQ(
      TextOf(proof),
      "No difference above noise (0 of 7 recorded runs read as much data, at least 5 are needed), results unchecked, "
      "5 runs against 0 recorded ones");
}

TEST(ProofPageTest, AFailedProofHasItsReasonOnly) {
  Proof proof;
  proof.problem = "a run ended with exit code 1";
  const std::string page = ProofPage(proof, {}, "");
  EXPECT_NE(page.find("<h1 class=\"bad\">Failed: a run ended with exit code 1</h1>"), std::string::npos) << page;
  EXPECT_EQ(page.find("Measured runs"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
