"""s3: a project knowledge base fed with meeting transcripts."""
