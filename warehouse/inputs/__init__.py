"""What a build is made of: parsed parts, which of them are active, what is isolated, and the fingerprint of all."""
