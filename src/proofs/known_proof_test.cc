// SPDX-License-Identifier: Apache-2.0
#include "proofs/known_proof.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr std::string_view kProof =
    R"({"verdict":"proved","deltaMs":{"median":-5000,"low":null,"high":-4000},"runs":{"before":5,"after":5},"p":0.001,)"
    R"("results":{"queries":1},"promisedMs":{"low":-6000,"high":-4000},"promise":"kept","worse":["peakBytes"],"time":7,)"
    R"("group":"etl","application":"app-1","finding":"skew-4.0","rule":"skew","change":"spark.a=1","text":"Proved: 5.0 s faster"})";

TEST(KnownProofTest, KeepsWhatProveWrites) {
  const Result<KnownProof> proof = ParseProof(kProof);
  ASSERT_TRUE(proof) << proof.error().message;
  EXPECT_EQ(proof->subject.rule, "skew");
  EXPECT_EQ(proof->delta_ms->median, -5000);
  EXPECT_EQ(proof->delta_ms->low, std::nullopt);
  EXPECT_EQ(ProofSentence(*proof), "Proved: 5.0 s faster: spark.a=1, advised by skew-4.0");
  const std::string json = KnownProofJson(*proof);
  EXPECT_EQ(
      json,
      R"({"time":7,"group":"etl","application":"app-1","finding":"skew-4.0","rule":"skew","change":"spark.a=1",)"
      R"("verdict":"proved","text":"Proved: 5.0 s faster","deltaMs":{"median":-5000,"low":null,"high":-4000},)"
      R"("promisedMs":{"low":-6000,"high":-4000},"promise":"kept","worse":["peakBytes"],"runs":{"before":5,"after":5}})");
  EXPECT_EQ(KnownProofJson(*ParseProof(json)), json);
}

TEST(KnownProofTest, RefusesWhatIsNoProof) {
  EXPECT_FALSE(ParseProof("[]"));
  EXPECT_FALSE(ParseProof(R"({"verdict":"proved"})")) << "no group";
  EXPECT_FALSE(ParseProof(R"({"verdict":"great","group":"etl"})"));
  EXPECT_FALSE(ParseProof(R"({"verdict":7,"group":"etl"})"));
}

TEST(KnownProofTest, BoundsAndRedactsTexts) {
  const std::string text(100'000, 'x');
  std::string worse = "[";
  for (int i = 0; i < 1000; ++i) worse += "\"" + text.substr(0, 1000) + "\",";
  worse += "\"a\"]";
  const Result<KnownProof> proof =
      ParseProof(R"({"verdict":"failed","group":"etl","change":"a\nb password=secret1","text":")" + text +
                 R"(","worse":)" + worse + R"(,"runs":{"before":"x"}})");
  ASSERT_TRUE(proof) << proof.error().message;
  EXPECT_LT(KnownProofJson(*proof).size(), 8000u);
  EXPECT_EQ(proof->subject.change.find('\n'), std::string::npos);
  EXPECT_EQ(proof->subject.change.find("secret1"), std::string::npos) << proof->subject.change;
}

TEST(KnownProofTest, CountsHowOftenTheAdviceOfARuleWasProved) {
  std::vector<KnownProof> proofs;
  for (const auto& [rule, verdict] :
       {std::pair("skew", "proved"), {"gc", "proved"}, {"skew", "slower"}, {"", "proved"}, {"skew", "proved"}}) {
    KnownProof proof;
    proof.subject.rule = rule;
    proof.verdict = verdict;
    proofs.push_back(proof);
  }
  RuleCounts counts;
  for (const KnownProof& proof : proofs) counts.Add(proof);
  EXPECT_EQ(counts.Most(1).size(), 1u);
  const std::vector<ProvedRule> rules = counts.Most(10);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].rule, "skew");
  EXPECT_EQ(rules[0].proofs, 3u);
  EXPECT_EQ(rules[0].proved, 2u);
  EXPECT_EQ(rules[1].proofs, 1u);
}

}  // namespace
}  // namespace sparkprof
