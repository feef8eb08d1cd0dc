// SPDX-License-Identifier: Apache-2.0
#include "storage/s3_storage.h"

#include <gtest/gtest.h>

#include "base/xml_tree.h"

namespace sparkprof {
namespace {

// The examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
TEST(S3StorageTest, SignsRequestsAsDocumented) {
  const S3Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  constexpr int64_t kTimeNs = 1'369'353'600'000'000'000;  // 2013-05-24T00:00:00Z
  const auto signature_of = [&](const std::string& target) {
    const Url url{"https", "examplebucket.s3.amazonaws.com", 443, target};
    const HttpHeaders headers = SignS3Request(url, credentials, "us-east-1", kTimeNs);
    const std::string_view header = FindHeader(headers, "authorization");
    return std::string(header.substr(header.rfind('=') + 1));
  };
  EXPECT_EQ(signature_of("/?lifecycle="), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature_of("/?max-keys=2&prefix=J"), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

// The signature is botocore's for the same request.
TEST(S3StorageTest, SignsTheTokenOfASession) {
  const S3Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                  "AQoDYXdzEPT//////////wEXAMPLE"};
  const Url url{"https", "examplebucket.s3.amazonaws.com", 443, "/?list-type=2&prefix=a%2Fb"};
  const HttpHeaders headers = SignS3Request(url, credentials, "us-east-1", 1'369'353'600'000'000'000);
  EXPECT_EQ(FindHeader(headers, "x-amz-security-token"), credentials.session_token);
  EXPECT_TRUE(FindHeader(headers, "authorization")
                  .ends_with("Signature=a3dc91cf735195f30e0ef5209b1f4d1bb345a0ec919b062dc5b5744cda696ded"));
}

TEST(XmlTreeTest, ReadsAListOfObjects) {
  const Result<XmlElement> page = ParseXml(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
      "xmlns=\"http://s3\">\n<IsTruncated>true</IsTruncated>"
      "<Empty/><!-- none --><Contents><Key>a&amp;b&#x20AC;</Key><Size> 12 </Size></Contents></ListBucketResult>\n");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->name, "ListBucketResult");
  EXPECT_EQ(page->Text("IsTruncated"), "true");
  ASSERT_EQ(page->children.size(), 3U);
  EXPECT_EQ(page->children[2].Text("Key"), "a&b\u20AC");
  EXPECT_EQ(page->children[2].Text("Size"), "12");
}

TEST(XmlTreeTest, RefusesEveryBeginningOfADocument) {
  const std::string whole = "<?xml version=\"1.0\"?><a><b x=\"y\">&lt;</b><c/></a>";
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(ParseXml(whole.substr(0, size))) << size;
  EXPECT_TRUE(ParseXml(whole));
}

TEST(XmlTreeTest, RefusesWhatS3DoesNotSend) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "<a>";
  for (const std::string& text : {std::string("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"), std::string("<a>&x;</a>"),
                                  std::string("<a><![CDATA[x]]></a>"), std::string("<a></b>"), std::string("<a/><b/>"),
                                  std::string("<a>&#0;</a>"), std::string("<a>&#1114112;</a>"), deep}) {
    EXPECT_FALSE(ParseXml(text)) << text.substr(0, 60);
  }
}

}  // namespace
}  // namespace sparkprof
