"""Bots that listen at an http address: any language, any machine."""
