# The store of several collectors on AWS: a bucket, and a policy for the role of their service account. `helm_values` is for the chart:
#
#   module "sparkprof" {
#     source = "…/deploy/terraform"
#     bucket = "example-sparkprof"
#   }

terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "bucket" {
  description = "Name of the bucket to create."
  type        = string
}

variable "prefix" {
  description = "Prefix of the store in the bucket."
  type        = string
  default     = "sparkprof"
}

variable "catalogue" {
  description = "Address of ClickHouse for --catalogue, such as clickhouse://ch1:8123/sparkprof; empty = a file of each node."
  type        = string
  default     = ""
}

variable "tags" {
  description = "Tags of all resources."
  type        = map(string)
  default     = {}
}

locals {
  objects = "${aws_s3_bucket.store.arn}/${var.prefix}/*"
}

data "aws_region" "current" {}

resource "aws_s3_bucket" "store" {
  bucket = var.bucket
  tags   = var.tags
}

resource "aws_s3_bucket_public_access_block" "store" {
  bucket                  = aws_s3_bucket.store.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

# Objects of a store are created once. Nobody may send them without TLS, or replace them.
data "aws_iam_policy_document" "bucket" {
  statement {
    sid       = "RequireTls"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.store.arn, "${aws_s3_bucket.store.arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
  statement {
    sid       = "RequireCreate"
    effect    = "Deny"
    actions   = ["s3:PutObject"]
    resources = [local.objects]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Null"
      variable = "s3:if-none-match"
      values   = ["true"]
    }
  }
}

resource "aws_s3_bucket_policy" "store" {
  bucket = aws_s3_bucket.store.id
  policy = data.aws_iam_policy_document.bucket.json
}

data "aws_iam_policy_document" "collector" {
  statement {
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = [local.objects]
  }
  statement {
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.store.arn]
    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.prefix}/*"]
    }
  }
}

resource "aws_iam_policy" "collector" {
  name   = "${var.bucket}-collector"
  policy = data.aws_iam_policy_document.collector.json
  tags   = var.tags
}

output "policy_arn" {
  description = "The policy that the role of the collectors' service account needs."
  value       = aws_iam_policy.collector.arn
}

output "helm_values" {
  description = "Values of the chart."
  value = yamlencode({
    collector = {
      store     = "s3://${var.bucket}/${var.prefix}"
      env       = [{ name = "AWS_REGION", value = data.aws_region.current.name }]
      extraArgs = var.catalogue == "" ? [] : ["--catalogue=${var.catalogue}"]
    }
  })
}
