// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

const std::string kBody = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

std::vector<std::string> Redacted(const std::vector<std::string>& texts) {
  RedactionStream stream;
  std::vector<std::string> redacted;
  for (const std::string& text : texts) redacted.push_back(RedactText(stream.Add(text).value_or(text)));
  return redacted;
}

size_t LinesWith(const std::vector<std::string>& texts, const std::string& part) {
  size_t count = 0;
  for (const std::string& text : texts) count += text.find(part) == std::string::npos ? 0 : 1;
  return count;
}

TEST(RedactionStreamTest, LinesOfAPrivateKeyAreRedactedWhateverIsBeforeAndBetweenThem) {
  for (const std::string prefix : {"", "  ", "24/01/01 10:00:00 INFO Job: ", "{\"log\":\"", "10.0.0.7: ", "> "}) {
    for (const std::string begin : {"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----",
                                    "-----BEGIN EC PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----",
                                    "-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----",
                                    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "PuTTY-User-Key-File-2: ssh-rsa"}) {
      std::vector<std::string> texts = {prefix + "start", prefix + begin};
      for (int i = 0; i < 20; ++i) {
        texts.push_back(prefix + kBody);
        texts.push_back("24/01/01 10:00:00 INFO Executor: Running task " + std::to_string(i));
      }
      texts.push_back(prefix + "VJTUt9Us8cKjMSSKEY4Q==");
      const std::vector<std::string> redacted = Redacted(texts);
      EXPECT_EQ(LinesWith(redacted, "VJTUt9Us8cKj"), 0u) << prefix << begin;
      EXPECT_EQ(LinesWith(redacted, "Running task"), 20u) << prefix << begin;
    }
  }
}

TEST(RedactionStreamTest, TheLastShortLineOfAKeyIsRedactedAndWhatFollowsItsEndStays) {
  const std::vector<std::string> redacted =
      Redacted({"-----BEGIN PRIVATE KEY-----", kBody, "aGVsbG8", "-----END PRIVATE KEY-----", "done"});
  const std::string gone(kRedacted);
  EXPECT_EQ(redacted, (std::vector<std::string>{gone, gone, gone, gone, "done"}));
}

TEST(RedactionStreamTest, KeysOfTwoExecutorsInTurnAreBothRedacted) {
  std::vector<std::string> texts = {"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"};
  for (int i = 0; i < 6; ++i) texts.push_back(kBody);
  texts.push_back("-----END PRIVATE KEY-----");
  texts.push_back(kBody);
  texts.push_back("-----END PRIVATE KEY-----");
  texts.push_back(kBody);
  EXPECT_EQ(LinesWith(Redacted(texts), kBody), 1u);  // after both
}

TEST(RedactionStreamTest, AKeyWithoutAnEndEndsWithLinesThatAreNotOfIt) {
  std::vector<std::string> texts = {"-----BEGIN PRIVATE KEY-----", kBody};
  for (int i = 0; i < 300; ++i) texts.push_back("a line of other output");
  texts.push_back(kBody);
  const std::vector<std::string> redacted = Redacted(texts);
  EXPECT_EQ(LinesWith(redacted, "a line of other output"), 300u);
  EXPECT_EQ(LinesWith(redacted, kBody), 1u);
}

TEST(RedactionStreamTest, CertificatesAndOtherObjectsStay) {
  const std::vector<std::string> texts = {"-----BEGIN CERTIFICATE-----", kBody, "-----END CERTIFICATE-----",
                                          "-----BEGIN PUBLIC KEY-----",  kBody, "-----END PUBLIC KEY-----"};
  EXPECT_EQ(Redacted(texts), texts);
}

TEST(RedactionStreamTest, AValueOnTheLineAfterItsNameIsRedacted) {
  const std::string gone(kRedacted);
  for (const std::string name : {"PASSWORD:", "  \"password\":", "spark.x.password =", "INFO Job: the secret key:"}) {
    const std::vector<std::string> redacted = Redacted({name, "hunter2", "next"});
    EXPECT_EQ(redacted, (std::vector<std::string>{name, gone, "next"})) << name;
  }
  EXPECT_EQ(Redacted({"  <name>fs.s3a.secret.key</name>", "  <value>hunter2</value>"})[1],
            "  <value>" + gone + "</value>");
  EXPECT_EQ(Redacted({"- name: DB_PASSWORD", "  value: hunter2"})[1], "  value: " + gone);
}

TEST(RedactionStreamTest, LinesAfterOtherNamesStay) {
  const std::vector<std::string> texts = {"result:", "hunter2", "password:", "  secretKeyRef:", "token:", "expired"};
  EXPECT_EQ(Redacted(texts), texts);
}

}  // namespace
}  // namespace sparkprof
